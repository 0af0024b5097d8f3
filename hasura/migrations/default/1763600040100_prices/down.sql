drop function store_prices;
drop table price;
