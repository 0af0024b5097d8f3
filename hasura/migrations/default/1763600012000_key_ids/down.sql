alter table jwks drop constraint jwks_id_check;
create trigger set_id before insert on jwks for each row execute function set_id('jwk');
