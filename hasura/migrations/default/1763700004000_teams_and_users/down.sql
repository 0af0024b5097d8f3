drop view visible_user;
drop table membership;
drop table "user";
drop table team;
drop function keep_owners_from_keys();
drop function keep_an_owner();
