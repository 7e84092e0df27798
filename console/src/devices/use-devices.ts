import { useEffect, useState } from 'preact/hooks';
import { dataOf, ops } from '../api/ops.ts';
import type { ListedDevice } from '../api/shapes.ts';
import { type Asked, useAsked } from '../state/use-asked.ts';

interface Wanted {
  readonly network: string;
  readonly status: string;
  readonly search: string;
}

interface Page {
  readonly total: number;
  readonly next_after: string | number | null;
  readonly devices: readonly ListedDevice[];
}

export interface DevicesShown {
  readonly asked: Asked<Page>;
  readonly rows: readonly ListedDevice[];
  /** What is shown is still of what was wanted before. */
  readonly isOther: boolean;
  /** Undefined when all are shown. */
  readonly more: (() => void) | undefined;
}

const step = 100;
/** As many as the server gives at a time. */
const most = 1_000;

/** A list that grows from page to page and stays up to date: it is asked for whole again, so that no row is of another time than its neighbour. */
export const useDevices = ({ network, status, search }: Wanted): DevicesShown => {
  const wanted = `${network} ${status} ${search}`;
  const [limit, setLimit] = useState(step);
  const [shown, setShown] = useState(wanted);
  useEffect(() => setLimit(step), [wanted]);
  const asked = useAsked<Page>(
    `devices ${wanted} ${limit}`,
    async (signal) => {
      const query = {
        limit,
        ...(network !== '' && { network: Number(network) }),
        ...(status !== '' && { status: status as ListedDevice['status'] }),
        ...(search !== '' && { search }),
      };
      const page = await dataOf(ops.GET('/ops/v1/devices', { params: { query }, signal }));
      setShown(wanted);
      return page;
    },
    { everyMs: 10_000 },
  );
  const isMore = asked.data !== undefined && asked.data.next_after !== null && limit < most;
  return {
    asked,
    rows: asked.data?.devices ?? [],
    isOther: shown !== wanted,
    more: isMore ? () => setLimit(Math.min(most, limit + (limit === step ? 4 : 5) * step)) : undefined,
  };
};
