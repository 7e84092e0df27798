export { claimPartitions } from './claim-partitions.ts';
export { assignPartitions } from './preferences.ts';
export { joinMembers, type Membership } from './membership.ts';
