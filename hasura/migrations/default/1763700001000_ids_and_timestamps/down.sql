drop function refuse_change();
drop function set_updated_at();
drop function set_id();
drop function make_id(text);
