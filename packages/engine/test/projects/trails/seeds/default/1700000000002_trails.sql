insert into people.walkers values (1, 'Ada');
insert into public.trails (name, state, found_by) values ('Long Ridge', 'open', 1), ('Wet Valley', 'closed', 1);
