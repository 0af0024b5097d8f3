drop trigger audit on action;
drop trigger audit on app;
drop trigger audit on api_key;
drop trigger audit on invite;
drop trigger audit on membership;
drop trigger audit on team;
drop function audit;
drop table audit;
