export { type BackupManifest, readManifest, writeManifest } from './manifest.ts';
export { restoreBackup } from './restore-backup.ts';
export { type BackupReport, verifyBackup } from './verify-backup.ts';
