import { createCheck, type Finding, warning } from '@popsvc/contracts/diagnostics';
import type { DarkDevices, FleetProblems, Silence } from './find-fleet-problems.ts';

export const devicesCheck = createCheck('devices', 'Few devices and feeders are offline at the same time.', {
  'dark-network': warning(
    '`popsvc outages list --network ID --open` lists them; a site or a time in common points to the cause. DARK_DEVICES_PERCENT sets the share.',
  ),
  'dark-site': warning(
    'Check the power and the network connection of the site; `popsvc outages list --site ID --open` lists its devices.',
  ),
});

export const flowCheck = createCheck(
  'flow',
  'Each network sends data in opening hours, and so does each vendor that sent plays in the last eight days.',
  {
    'network-silent': warning(
      'Check whether requests of the network arrive at command-api, and with which status it answers them. VENDOR_SILENT_MINUTES sets the time.',
    ),
    'vendor-silent': warning(
      'Ask the vendor; `popsvc events balance --vendor CODE` shows what it sent. Retire a vendor that no longer sends. VENDOR_SILENT_MINUTES sets the time.',
    ),
  },
);

const maxFindings = 10;

const describeShare = ({ offline, devices }: DarkDevices): string =>
  `${offline} of ${devices} devices at open sites are offline`;

const toDevicesFinding = (dark: DarkDevices): Finding => {
  const { network, site } = dark;
  const found = describeShare(dark);
  return site === undefined
    ? devicesCheck.problem('dark-network', {
        subject: `network ${network}`,
        found,
      })
    : devicesCheck.problem('dark-site', {
        subject: `site ${site} of network ${network}`,
        found,
      });
};

const toFlowFinding = ({ network, vendor, sinceMs }: Silence): Finding =>
  vendor === undefined
    ? flowCheck.problem('network-silent', {
        subject: `network ${network}`,
        found: 'neither plays nor heartbeats were received',
        sinceMs,
      })
    : flowCheck.problem('vendor-silent', {
        subject: `vendor ${vendor} of network ${network}`,
        found: 'no play was received',
        sinceMs,
      });

const limit = (findings: readonly Finding[]): readonly Finding[] => {
  const further = findings.length - maxFindings;
  return findings
    .slice(0, maxFindings)
    .map((finding, index) =>
      further > 0 && index === maxFindings - 1
        ? { ...finding, found: `${finding.found}; ${further} more like this` }
        : finding,
    );
};

export const reportFleet = ({ dark, silent }: FleetProblems): readonly Finding[] => [
  ...(dark.length === 0 ? [devicesCheck.ok({ found: 'few devices are offline' })] : limit(dark.map(toDevicesFinding))),
  ...(silent.length === 0
    ? [flowCheck.ok({ found: 'all vendors and networks send data' })]
    : limit(silent.map(toFlowFinding))),
];
