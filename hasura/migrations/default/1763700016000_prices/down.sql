drop function store_prices(jsonb);
drop table price;
