create table price (
  crypto text not null check (crypto ~ '^[A-Z0-9]{1,16}$'),
  fiat text not null check (fiat ~ '^[A-Z]{3}$'),
  amount text not null check (amount ~ '^[1-9][0-9]{0,29}$'),
  decimals integer not null default 6 check (decimals = 6),
  source text not null,
  observed_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (crypto, fiat)
);
comment on table price is 'The latest price of one unit of a token, in each currency';
comment on column price.amount is 'An integer as text: the price is amount × 10^-decimals';
comment on column price.source is 'The provider of the price';
comment on column price.observed_at is 'The time of the price, according to the provider';
create trigger set_updated_at before update on price
for each row execute function set_updated_at();

-- Stores prices. A stored price that is newer stays, because a provider or an instance may be slow. Writes the rows in the
-- order of their keys, so that two instances never deadlock.
create function store_prices(prices jsonb) returns setof price
language sql volatile
as $$
  insert into price (crypto, fiat, amount, source, observed_at)
  select quote.crypto, quote.fiat, quote.amount, quote.source, quote.observed_at
  from jsonb_to_recordset(prices) as quote (
    crypto text,
    fiat text,
    amount text,
    source text,
    observed_at timestamptz
  )
  order by quote.crypto, quote.fiat
  on conflict (crypto, fiat) do update
  set
    amount = excluded.amount,
    source = excluded.source,
    observed_at = excluded.observed_at
  where price.observed_at <= excluded.observed_at
  returning *
$$;
