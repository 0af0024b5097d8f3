-- Queues another link, unless there is nobody to verify or one waits to be sent already.
create or replace function resend_verification(email text) returns setof mail
language plpgsql volatile
as $$
begin
  -- Of two who ask at one time the second sees what the first has queued.
  perform from "user" where "user".email = resend_verification.email for no key update;
  return query
  insert into mail (user_id, kind)
  select "user".id, 'verify_email'
  from "user"
  where "user".email = resend_verification.email
    and "user".email_verified_at is null
    and not exists (
      select
      from mail
      where mail.user_id = "user".id
        and mail.sent_at is null
        and mail.created_at > now() - interval '1 hour'
    )
  returning *;
end
$$;
