import { z } from 'zod';

/** An event of a vendor's own making (service.md 2.8): any object; only a mapping looks into it. */
export const DynamicEvent = z.looseObject({}).describe('An object of any structure.');
export type DynamicEvent = z.output<typeof DynamicEvent>;

/** The vendor's name of the schema its events are in; also of the rows of a bulk file. */
export const SchemaVersion = z.string().min(1).max(200).describe('Your name of the schema of these events.');
