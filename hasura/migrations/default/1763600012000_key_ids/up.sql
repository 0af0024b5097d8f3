-- A private key is encrypted for its id, so its maker must know the id before the row is there.
drop trigger set_id on jwks;
alter table jwks add constraint jwks_id_check check (id ~ '^jwk_[0-9a-f]{32}$');
