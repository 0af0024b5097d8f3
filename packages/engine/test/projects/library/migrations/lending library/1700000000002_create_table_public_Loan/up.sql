CREATE TABLE "public"."Loan" ("id" serial NOT NULL, "volume_id" uuid NOT NULL, "reader" text NOT NULL, "updated_at" timestamptz NOT NULL DEFAULT now(), PRIMARY KEY ("id") , FOREIGN KEY ("volume_id") REFERENCES "public"."volume"("id") ON UPDATE cascade ON DELETE cascade);
CREATE OR REPLACE FUNCTION "public"."touch_updated_at"()
RETURNS TRIGGER AS $$
BEGIN
  NEW."updated_at" = NOW();
  RETURN NEW;
END;
$$ LANGUAGE plpgsql;
CREATE TRIGGER "touch_public_Loan_updated_at"
BEFORE UPDATE ON "public"."Loan"
FOR EACH ROW
EXECUTE PROCEDURE "public"."touch_updated_at"();
