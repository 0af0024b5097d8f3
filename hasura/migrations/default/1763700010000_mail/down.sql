drop function queue_mail(text, text);
drop table account_link;
drop function claim_mail(integer);
drop table mail;
drop table email_change;
