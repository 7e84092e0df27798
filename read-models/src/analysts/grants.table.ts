import { defineTable, field } from '@popsvc/platform/clickhouse';

/** What PostgreSQL says of analysts, where the views can read it. Without generation: no projection makes it. */
export const analystGrants = defineTable({
  name: 'analyst_grants',
  about: 'Which networks each analyst sees; whoever is not here sees none.',
  orderBy: ['user'],
  replacing: { version: 'version' },
  fields: {
    user: field('String', 'Login.'),
    every_network: field('UInt8', '1: all there are, also those that are yet to come.'),
    networks: field('Array(UInt64)', 'Networks; empty once revoked.'),
    version: field('UInt64', 'The highest stands.'),
  },
});
