delete from mail where kind = 'invite';
alter table mail drop constraint mail_kind_check;
alter table mail drop column invite_id;
alter table mail add constraint mail_kind_check check (kind in ('verify_email'));
alter table mail alter column user_id set not null;
drop table invite_token;
drop table invite;
