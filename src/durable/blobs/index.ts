export { blobsChecks, type JournalBlobs, journalWithBlobs } from './journal-with-blobs.ts';
export { type S3BlobClient, type S3BlobsOptions, s3Blobs } from './s3-blobs.ts';
export { assertNoneStored } from './stored-row.ts';
