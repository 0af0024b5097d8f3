drop trigger tell_former_owner_on_delete on membership;
drop trigger tell_former_owner_on_update on membership;
drop function tell_former_owner();
drop function queue_mail(text, text);
drop table account_link;
drop function lease_mail(integer);
drop table mail;
drop table email_change;
