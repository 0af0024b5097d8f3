CREATE TABLE "public"."volume" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "title" text NOT NULL, "is_reserved" boolean NOT NULL DEFAULT false, PRIMARY KEY ("id") , UNIQUE ("id"));
CREATE EXTENSION IF NOT EXISTS pgcrypto;
