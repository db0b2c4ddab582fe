import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  EmbeddedRecord,
  type ViewerPage,
  viewerPage,
  withFileName,
} from '../../../src/cli/view/viewer-page.ts';

const built = fileURLToPath(new URL('../../../dist/viewer/page.html', import.meta.url));
const fixture = fileURLToPath(new URL('../../fixtures/runs/fix-issue.jsonl', import.meta.url));

/** A run of 42 calls with every outcome. */
export function fixtureLines(): readonly string[] {
  return readFileSync(fixture, 'utf8').trimEnd().split('\n');
}

export function builtPage(): ViewerPage {
  return viewerPage(readFileSync(built, 'utf8'));
}

/** Pages in a folder for temporary files. */
export class PageFolder implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'wink-pages-'));
  #count = 0;

  /** Writes a page as `wink view --out` does. @returns its address. */
  write(record: string, name = 'run.jsonl'): string {
    const page = withFileName(builtPage(), name);
    this.#count += 1;
    const path = join(this.folder, `${this.#count}.html`);
    const embedded = new EmbeddedRecord();
    const rows = [embedded.add(Buffer.from(record)), embedded.rest()];
    const parts = [Buffer.from(page.head), ...rows, Buffer.from(page.tail)];
    writeFileSync(path, Buffer.concat(parts));
    return pathToFileURL(path).href;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
