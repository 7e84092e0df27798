import type { UploadSettings } from '@popsvc/command-api/service';
import { Secret } from '@popsvc/platform/config';
import { openDiskObjectStore, type ReceivingObjectStore } from '@popsvc/platform/object-storage';
import { temporaryFolder } from '@popsvc/tools/rig';

export const signingKey = 'a-key-that-signs-addresses-of-tests';

export interface TestUploads {
  readonly dir: string;
  readonly objects: ReceivingObjectStore;
  readonly uploads: UploadSettings;
}

/** A place for uploaded files that lasts as long as the run. */
export const testUploads = async (over: Partial<UploadSettings> = {}): Promise<TestUploads> => {
  const dir = await temporaryFolder('uploads');
  const uploads = { secrets: [new Secret(signingKey)], maxBytes: 2_147_483_648, ...over };
  return { dir, objects: await openDiskObjectStore(dir), uploads };
};
