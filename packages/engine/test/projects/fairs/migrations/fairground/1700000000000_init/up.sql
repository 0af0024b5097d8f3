SET check_function_bodies = false;
CREATE SCHEMA shows;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE TABLE shows.fair (
    id integer NOT NULL,
    title text NOT NULL,
    host text NOT NULL,
    opens date NOT NULL,
    closes date NOT NULL
);
CREATE FUNCTION shows.fair_dates(fair_row shows.fair) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT fair_row.opens || ' to ' || fair_row.closes
$$;
CREATE FUNCTION shows.fair_is_mine(fair_row shows.fair, hasura_session json) RETURNS boolean
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    RETURN fair_row.host = (hasura_session ->> 'x-hasura-user-id');
END;
$$;
CREATE FUNCTION shows.find_fairs(words text) RETURNS SETOF shows.fair
    LANGUAGE sql STABLE
    AS $$
    SELECT * FROM shows.fair WHERE words <% title
$$;
CREATE SEQUENCE shows.fair_id_seq AS integer START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1;
ALTER SEQUENCE shows.fair_id_seq OWNED BY shows.fair.id;
CREATE TABLE shows.place (
    of_fair integer NOT NULL,
    latitude double precision NOT NULL,
    longitude double precision NOT NULL
);
CREATE TABLE shows.stall (
    id integer NOT NULL,
    fair_id integer NOT NULL,
    name text NOT NULL
);
ALTER TABLE ONLY shows.fair ALTER COLUMN id SET DEFAULT nextval('shows.fair_id_seq'::regclass);
ALTER TABLE ONLY shows.fair ADD CONSTRAINT fair_pkey PRIMARY KEY (id);
ALTER TABLE ONLY shows.place ADD CONSTRAINT place_pkey PRIMARY KEY (of_fair);
ALTER TABLE ONLY shows.stall ADD CONSTRAINT stall_pkey PRIMARY KEY (id);
CREATE INDEX fair_title_idx ON shows.fair USING gin (title public.gin_trgm_ops);
ALTER TABLE ONLY shows.place ADD CONSTRAINT place_of_fair_fkey FOREIGN KEY (of_fair) REFERENCES shows.fair(id) ON UPDATE CASCADE ON DELETE CASCADE;
ALTER TABLE ONLY shows.stall ADD CONSTRAINT stall_fair_id_fkey FOREIGN KEY (fair_id) REFERENCES shows.fair(id) ON UPDATE RESTRICT ON DELETE CASCADE;
