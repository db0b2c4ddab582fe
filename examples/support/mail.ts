import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const mailSchema = z.object({ to: z.string(), text: z.string() });

/** A mail that has left. */
export interface Mail {
  readonly to: string;
  readonly text: string;
}

/** In place of a mail service: a folder with a file for each mail. A key that it knows is answered as before, without a second mail. */
export async function sendMail(outbox: string, mail: Mail, idempotencyKey: string): Promise<void> {
  await mkdir(outbox, { recursive: true });
  const file = join(outbox, `${encodeURIComponent(idempotencyKey)}.json`);
  try {
    await writeFile(file, JSON.stringify(mail), { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

export async function sentMails(outbox: string): Promise<readonly Mail[]> {
  const files = (await readdir(outbox)).sort();
  return await Promise.all(
    files.map(async (file) => mailSchema.parse(JSON.parse(await readFile(join(outbox, file), 'utf8')))),
  );
}
