import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { present } from '../../../core/internal/index.ts';
import { eraFile, type Life, type Stroke, startFiles } from '../life.ts';
import type { DurableFiles, JournalOpening } from '../options.ts';
import { type LifeEnd, type StartedLife, startLife } from './start-life.ts';
import type { StruckLife } from './windows.ts';

/** What a folder of a case is made for. */
export interface CaseFolderParts {
  readonly files: DurableFiles;
  readonly journal: JournalOpening;
  readonly runs: readonly string[];
  readonly script: Life['script'];
}

/** How a life differs from the one before. */
export interface NextLife {
  readonly stroke?: Stroke | undefined;
  /** Name of another state folder. Default: the one of all. */
  readonly state?: string;
  readonly resumedFiles?: NonNullable<Life['resumedFiles']>;
  readonly cancels?: true;
  readonly says?: true;
  /** Whether the leases of the lives before still last. Default: false. */
  readonly isContemporary?: boolean;
}

/** The folder of one case, in which its lives follow each other. */
export class CaseFolder implements Disposable {
  readonly path: string = mkdtempSync(join(tmpdir(), 'wink-matrix-'));
  readonly work: string = join(this.path, 'work');
  readonly runs: readonly string[];
  readonly files: DurableFiles;
  readonly journal: JournalOpening;
  readonly #script: Life['script'];
  /** The lives that have been struck, in order. */
  readonly struck: StruckLife[] = [];
  #number = 0;
  #era = 0;

  constructor({ files, journal, runs, script }: CaseFolderParts) {
    this.files = files;
    this.journal = journal;
    this.runs = runs;
    this.#script = script;
    if (files === 'folder') makeTree(this.work);
  }

  stateFolder(name = 'state'): string {
    return join(this.path, name);
  }

  /** Puts a copy of the folder in its place as the runs have begun on it. */
  renewWork(): void {
    rmSync(this.work, { recursive: true });
    makeTree(this.work);
  }

  /** The next life; the caller sees to its end. */
  start({ stroke, state, resumedFiles, cancels, says, isContemporary = false }: NextLife = {}): StartedLife {
    this.#number += 1;
    if (!isContemporary) this.#beginEra();
    const { path: folder, files, journal, runs } = this;
    const life: Life = {
      folder,
      files,
      journal,
      runs,
      number: this.#number,
      stateFolder: this.stateFolder(state),
      ...present({ stroke, resumedFiles, cancels, says, script: this.#script }),
    };
    return startLife(life);
  }

  #beginEra(): void {
    this.#era += 1;
    const file = join(this.path, eraFile);
    // Whole at every moment: a process that was stopped may read it.
    writeFileSync(`${file}.new`, String(this.#era));
    renameSync(`${file}.new`, file);
  }

  /** A life that may be struck, and is kept when it was. */
  async live(next: NextLife = {}): Promise<LifeEnd> {
    const end = await this.start(next).ended;
    const struckAt = next.stroke === undefined ? -1 : end.points.indexOf(next.stroke.at);
    // A run that is stopped passes further points on its way out.
    if (struckAt >= 0) this.struck.push({ points: end.points, length: struckAt + 1 });
    return end;
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

function makeTree(root: string): void {
  for (const [path, text] of Object.entries(startFiles)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  chmodSync(join(root, 'run.sh'), 0o755);
  symlinkSync('kept.md', join(root, 'docs/link.md'));
  symlinkSync('kept.md', join(root, 'link.md'));
}
