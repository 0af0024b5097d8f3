-- Functions for all tables: generated and derived ids, the time of the last change, columns that never change.

-- Creates an id: a prefix and 32 hex digits. gen_random_uuid() uses the operating system's strong random source.
create function make_id(prefix text) returns text
language sql volatile
as $$
  select prefix || '_' || replace(gen_random_uuid()::text, '-', '')
$$;

-- Returns the Keccak-256 hash of Ethereum, which pgcrypto lacks. It differs from SHA3-256 only in the padding. A lane of the
-- state is a bigint: the bit operators of bigint ignore the sign. Only >> copies the sign, so rotations mask these bits.
create function keccak_256(message bytea) returns bytea
language plpgsql immutable strict parallel safe
as $$
declare
  rate constant integer := 136;
  round_constants constant bigint[] := array[
    1, 32898, -9223372036854742902, -9223372034707259392, 32907, 2147483649, -9223372034707259263, -9223372036854743031,
    138, 136, 2147516425, 2147483658, 2147516555, -9223372036854775669, -9223372036854742903, -9223372036854743037,
    -9223372036854743038, -9223372036854775680, 32778, -9223372034707292150, -9223372034707259263, -9223372036854742912,
    2147483649, -9223372034707259384
  ];
  -- The order in which the step pi visits the lanes, and the rotations of the step rho.
  visited constant integer[] := array[
    11, 8, 12, 18, 19, 4, 6, 17, 9, 22, 25, 5, 16, 24, 20, 14, 13, 3, 21, 15, 23, 10, 7, 2
  ];
  rotations constant integer[] := array[
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44
  ];
  padding constant integer := rate - length(message) % rate;
  padded bytea := message || decode('01' || repeat('00', padding - 1), 'hex');
  state bigint[] := array_fill(0::bigint, array[25]);
  parity bigint[];
  lane bigint;
  moved bigint;
  row_start integer;
  hash bytea := decode(repeat('00', 32), 'hex');
begin
  padded := set_byte(padded, length(padded) - 1, get_byte(padded, length(padded) - 1) | 128);
  for block in 0..length(padded) / rate - 1 loop
    for place in 0..rate - 1 loop
      state[place / 8 + 1] := state[place / 8 + 1]
        # (get_byte(padded, block * rate + place)::bigint << (place % 8 * 8));
    end loop;
    for round in 1..24 loop
      for x in 1..5 loop
        parity[x] := state[x] # state[x + 5] # state[x + 10] # state[x + 15] # state[x + 20];
      end loop;
      for x in 1..5 loop
        lane := parity[x % 5 + 1];
        lane := parity[(x + 3) % 5 + 1] # ((lane << 1) | ((lane >> 63) & 1));
        state[x] := state[x] # lane;
        state[x + 5] := state[x + 5] # lane;
        state[x + 10] := state[x + 10] # lane;
        state[x + 15] := state[x + 15] # lane;
        state[x + 20] := state[x + 20] # lane;
      end loop;
      lane := state[2];
      for step in 1..24 loop
        moved := state[visited[step]];
        state[visited[step]] := (lane << rotations[step])
          | ((lane >> (64 - rotations[step])) & ((1::bigint << rotations[step]) - 1));
        lane := moved;
      end loop;
      for y in 0..4 loop
        row_start := y * 5;
        parity := state[row_start + 1:row_start + 5];
        for x in 1..5 loop
          state[row_start + x] := parity[x] # (~parity[x % 5 + 1] & parity[(x + 1) % 5 + 1]);
        end loop;
      end loop;
      state[1] := state[1] # round_constants[round];
    end loop;
  end loop;
  for place in 0..31 loop
    hash := set_byte(hash, place, ((state[place / 8 + 1] >> (place % 8 * 8)) & 255)::integer);
  end loop;
  return hash;
end
$$;

-- Returns the id of an app in protocol 4.0 of World ID: the first 8 bytes of the hash of the app's id, in hex. The body is
-- parsed when the function is created, so it also works with an empty search_path, such as during pg_restore.
create function rp_id_of(app_id text) returns text
language sql immutable strict parallel safe
return 'rp_' || left(encode(keccak_256(convert_to(app_id, 'UTF8')), 'hex'), 16);

-- Gives a new row its id. Replaces an id that the statement contains: only seeds, tests and the operator may choose ids, with "set local
-- platform.fixed_ids = 'on'" in their transaction.
create function set_id() returns trigger
language plpgsql
as $$
begin
  if new.id is null or coalesce(current_setting('platform.fixed_ids', true), '') <> 'on' then
    new.id := make_id(tg_argv[0]);
  end if;
  return new;
end
$$;

create function set_updated_at() returns trigger
language plpgsql
as $$
begin
  new.updated_at := now();
  return new;
end
$$;

-- Refuses every update for which the trigger's "when" is true. The trigger's argument names the column in the error.
create function refuse_change() returns trigger
language plpgsql
as $$
begin
  raise exception '% cannot be changed', tg_argv[0]
    using errcode = 'integrity_constraint_violation';
end
$$;
