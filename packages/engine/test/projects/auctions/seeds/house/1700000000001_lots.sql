insert into staff.member values ('Cleo');
insert into public.lot values (1, 'ada', null), (2, 'ada', null), (3, 'bo', null), (4, 'bo', now());
