drop table invite_token;
drop table invite;
