drop function signup;
drop table mail;
