-- Uses a link up. No row means that it was used, is over, or never was. The user before the link, as
-- delete_account takes them: the other way round, the two could wait for each other in a circle.
create or replace function verify_email(token_hash text) returns setof "user"
language sql volatile
as $$
  with verifying as (
    select "user".id
    from email_verification
    join "user" on "user".id = email_verification.user_id
    where email_verification.token_hash = verify_email.token_hash
      and email_verification.expires_at > now()
    for no key update of "user"
  ),
  used as (
    delete from email_verification
    using verifying
    where email_verification.token_hash = verify_email.token_hash
      and email_verification.user_id = verifying.id
    returning email_verification.user_id
  )
  update "user"
  set email_verified_at = coalesce("user".email_verified_at, now())
  from used
  where "user".id = used.user_id
  returning "user".*
$$;
