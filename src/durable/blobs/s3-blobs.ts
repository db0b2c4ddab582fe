import { assertOptions, JournalError, type OptionsOf, type RefuseArgument } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { BlobStore } from '../../core/runtime/index.ts';

/** What is used of a client of S3: that of `@aws-sdk/client-s3` has these methods in its class `S3`. Each rejects when the server has refused. */
export interface S3BlobClient {
  /** Resolves when the object is there. */
  putObject(input: {
    readonly Bucket: string;
    readonly Key: string;
    readonly Body: Uint8Array;
  }): Promise<unknown>;
  /** Rejects with an error whose `name` or `code` is `NoSuchKey` when the bucket has no such key. */
  getObject(input: { readonly Bucket: string; readonly Key: string }): Promise<{
    readonly Body?:
      | {
          /** The whole content. */
          readonly transformToByteArray: () => Promise<Uint8Array>;
        }
      | undefined;
  }>;
  /** Resolves with what could not be deleted; a key that is not there counts as deleted. */
  deleteObjects(input: {
    readonly Bucket: string;
    readonly Delete: { readonly Objects: { readonly Key: string }[]; readonly Quiet: boolean };
  }): Promise<{ readonly Errors?: readonly { readonly Code?: string | undefined }[] | undefined }>;
  /** Absent: contents of appends that were cut off stay in the bucket when their run is removed. */
  listObjectsV2?(input: {
    readonly Bucket: string;
    readonly Prefix: string;
    readonly ContinuationToken?: string;
  }): Promise<{
    readonly Contents?: readonly { readonly Key?: string | undefined }[] | undefined;
    readonly NextContinuationToken?: string | undefined;
  }>;
}

/** Options of {@link s3Blobs}. */
export interface S3BlobsOptions {
  /** Sends the requests, such as an `S3Client` of `@aws-sdk/client-s3`. The caller destroys it. */
  readonly client: S3BlobClient;
  /** The bucket, which exists. It must not be public, and not expire objects: rows refer to them. */
  readonly bucket: string;
  /** What each key begins with, such as `wink/`. Default: nothing. */
  readonly prefix?: string;
}

const checks: OptionsOf<S3BlobsOptions> = { client: 'object!', bucket: 'string!', prefix: 'string' };

/** As many keys as one request may have. */
const maxDeleted = 1_000;

/**
 * Contents of a journal in a bucket of S3, or of a server that speaks its protocol. It needs the rights to put, get and delete objects, and to list them where the client can. Without the
 * right to list, S3 answers for a key that it does not have as for one that may not be read: the journal takes that for a store that has failed.
 *
 * @example
 * ```ts no-run
 * import { type S3BlobClient, s3Blobs } from 'weakincentives/durable';
 *
 * // new S3({ region: 'eu-central-1' }) of @aws-sdk/client-s3
 * export const contents = (client: S3BlobClient) => s3Blobs({ client, bucket: 'runs', prefix: 'wink/' });
 * ```
 *
 * @throws {JournalError} `journal-invalid` for an option that is unknown, missing, or of the wrong kind.
 * @see docs/spec/durable-runs.md §14
 */
export function s3Blobs(options: S3BlobsOptions): BlobStore {
  assertOptions('s3Blobs()', options, checks, refuse);
  const { client, bucket: Bucket, prefix = '' } = options;
  return {
    put: async (key, bytes) => {
      await client.putObject({ Bucket, Key: prefix + key, Body: bytes });
    },
    get: async (key) => {
      try {
        const { Body } = await client.getObject({ Bucket, Key: prefix + key });
        return await Body?.transformToByteArray();
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },
    remove: async (keys) => {
      for (let from = 0; from < keys.length; from += maxDeleted) {
        const Objects = keys.slice(from, from + maxDeleted).map((key) => ({ Key: prefix + key }));
        const { Errors = [] } = await client.deleteObjects({ Bucket, Delete: { Objects, Quiet: true } });
        const [first] = Errors;
        if (first !== undefined)
          throw new Error(`${Errors.length} objects were not deleted: ${first.Code ?? 'no reason given'}`);
      }
    },
    ...present({
      list:
        client.listObjectsV2 === undefined
          ? undefined
          : (folder: string) => listKeys(client, Bucket, prefix, folder),
    }),
  };
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'NoSuchKey' || ('code' in error && error.code === 'NoSuchKey');
}

async function listKeys(
  client: S3BlobClient,
  Bucket: string,
  prefix: string,
  folder: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  let token: string | undefined;
  do {
    const page = await client.listObjectsV2?.({
      Bucket,
      Prefix: prefix + folder,
      ...present({ ContinuationToken: token }),
    });
    for (const { Key } of page?.Contents ?? []) if (Key !== undefined) keys.push(Key.slice(prefix.length));
    token = page?.NextContinuationToken;
  } while (token !== undefined);
  return keys;
}

const refuse: RefuseArgument = (message, options) => new JournalError('journal-invalid', message, options);
