export {
  eventStatusRead,
  JobsQuery,
  jobsRead,
  QuarantineQuery,
  quarantineRead,
  reconcileRead,
  SummaryQuery,
  summaryRead,
  type VendorRead,
  vendorReads,
} from './vendor-reads.ts';
