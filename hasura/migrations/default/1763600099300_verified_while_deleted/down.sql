-- Uses a link up. No row means that it was used, is over, or never was.
create or replace function verify_email(token_hash text) returns setof "user"
language sql volatile
as $$
  with used as (
    delete from email_verification
    where token_hash = verify_email.token_hash
      and expires_at > now()
    returning user_id
  )
  update "user"
  set email_verified_at = coalesce("user".email_verified_at, now())
  from used
  where "user".id = used.user_id
  returning "user".*
$$;
