drop table email_verification;
drop function claim_mail(integer);
drop table mail;
