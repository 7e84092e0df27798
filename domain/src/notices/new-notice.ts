import { noticeStream } from '@popsvc/contracts/events';
import type { Notice } from '@popsvc/contracts/webhooks';
import { parse, v5 } from 'uuid';

/** A notice that is to be appended, unless its stream already has one with the same key. */
export interface NewNotice {
  readonly notice: Notice;
  /** What the notice is about; unique in its stream. */
  readonly key: string;
  /** Log position of the event that caused the notice; undefined if a read model caused it. */
  readonly cause?: bigint;
}

export const streamOfNotice = ({ notice }: NewNotice): string => noticeStream(notice.data.network_id, notice.type);

export const vendorOfNotice = ({ data }: Notice): string | undefined => ('vendor' in data ? data.vendor : undefined);

/** Must never change, since a retried append must produce the same event ids. */
const namespace = parse('c0b6a0d2-6f0b-4f0c-9a53-5a3f6d3f0c11');

/** Subscribers see this id as `webhook-id`. */
export const noticeId = (notice: NewNotice): string =>
  v5(JSON.stringify([streamOfNotice(notice), notice.key]), namespace);
