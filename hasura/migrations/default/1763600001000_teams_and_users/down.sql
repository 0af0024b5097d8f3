drop table membership;
drop table "user";
drop table team;
