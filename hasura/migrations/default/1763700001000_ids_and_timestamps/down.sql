drop function refuse_change();
drop function set_updated_at();
drop function set_id();
drop function rp_id_of(text);
drop function keccak_256(bytea);
drop function make_id(text);
