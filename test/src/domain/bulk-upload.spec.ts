import { UploadClaimed, UploadExpired, UploadReceived, UploadRequested } from '@popsvc/contracts/events';
import {
  foldUpload,
  IllegalTransitionError,
  jobFromClaim,
  receivedFileRetentionMs,
  type LoggedEvent,
  type Upload,
  uploadRemovalMs,
  uploadGraceMs,
} from '@popsvc/domain/bulk';
import { expect } from 'chai';
import { logged } from './bulk-events.ts';

const uploadOf = (...events: readonly LoggedEvent[]): Upload => {
  const upload = events.reduce<Upload | undefined>(foldUpload, undefined);
  if (!upload) throw new Error('these events request no upload');
  return upload;
};

const requested = logged(UploadRequested, { expiresAt: '2026-08-20T15:00:00.000Z' });
const received = (after: number, over: Partial<UploadReceived> = {}) => logged(UploadReceived, over, after);
const claimed = logged(UploadClaimed, { jobId: 'job-1' }, 200);
const expired = logged(UploadExpired, {}, 200);
const fileId = UploadRequested.example.fileId;

describe('an upload', () => {
  it('is requested for a vendor, until an instant', () => {
    const upload = uploadOf(requested);
    expect(upload).to.include({ network: 1, vendor: 'acme', status: 'requested', received: undefined });
    expect(upload.expiresAtMs).to.equal(Date.parse('2026-08-20T15:00:00Z'));
    expect(uploadRemovalMs(upload)).to.equal(Date.parse('2026-08-20T15:00:00Z') + uploadGraceMs);
  });

  it('is kept for a day from its receipt, for any expiry of its URL', () => {
    const upload = uploadOf(requested, received(100));
    expect(upload.status).to.equal('received');
    expect(uploadRemovalMs(upload)).to.equal(Date.parse('2026-08-20T14:01:40Z') + receivedFileRetentionMs);
  });

  it('has a storage key from its id by default', () => {
    expect(uploadOf(requested, received(1)).received?.objectKey).to.equal(`uploads/1/${fileId}`);
    const elsewhere = uploadOf(requested, received(1, { objectKey: 'uploads/1/x/y' }));
    expect(elsewhere.received?.objectKey).to.equal('uploads/1/x/y');
  });

  it('is replaced by the next file', () => {
    const upload = uploadOf(requested, received(1, { sizeBytes: 1 }), received(2, { sizeBytes: 2 }));
    expect(upload.received).to.include({ sizeBytes: 2 });
  });

  it('is claimed by a job, or expires', () => {
    expect(uploadOf(requested, received(1), claimed).status).to.equal('claimed');
    expect(uploadOf(requested, received(1), expired).status).to.equal('expired');
    expect(uploadOf(requested, expired).status).to.equal('expired');
  });

  it('belongs to the job that claimed it, as it was received', () => {
    const upload = uploadOf(
      requested,
      received(1, { sizeBytes: 5, sha256: null, objectKey: 'uploads/1/x/y' }),
      claimed,
    );
    expect(jobFromClaim(upload)).to.deep.equal({
      jobId: 'job-1',
      fileId,
      objectKey: 'uploads/1/x/y',
      fileName: 'plays.ndjson',
      format: 'ndjson',
      schemaVersion: 'flat-1',
      sizeBytes: 5,
      sha256: null,
    });
    expect(() => jobFromClaim(uploadOf(requested, received(1)))).to.throw(IllegalTransitionError);
  });

  it('passes the delimiter of the claim on to the job', () => {
    const semicolons = logged(UploadClaimed, { jobId: 'job-1', delimiter: ';' }, 200);
    expect(jobFromClaim(uploadOf(requested, received(1), semicolons))).to.include({ delimiter: ';' });
  });

  const illegal: readonly (readonly [string, readonly LoggedEvent[]])[] = [
    ['a file that was not requested', [received(1)]],
    ['a second request', [requested, requested]],
    ['a claim before a file is there', [requested, claimed]],
    ['a second claim', [requested, received(1), claimed, claimed]],
    ['a file after the claim', [requested, received(1), claimed, received(300)]],
    ['expiry after the claim', [requested, received(1), claimed, expired]],
    ['a file after expiry', [requested, expired, received(300)]],
    ['a claim after expiry', [requested, received(1), expired, claimed]],
  ];
  for (const [what, events] of illegal)
    it(`rejects ${what}`, () => expect(() => uploadOf(...events)).to.throw(IllegalTransitionError));

  it('ignores events of a newer release', () => {
    const upload = uploadOf(requested);
    expect(foldUpload(upload, { ...requested, type: 'UploadScanned' })).to.equal(upload);
  });
});
