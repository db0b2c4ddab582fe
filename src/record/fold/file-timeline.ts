import { editScript, fileLines } from '../../core/internal/index.ts';
import type {
  BlamedLine,
  RecordedCall,
  RecordedContent,
  RecordedFile,
  RecordedFileChange,
} from './run-record.ts';

/** What a path held from one commit on. */
interface Version {
  readonly seq: number;
  /** Undefined: nothing was there. */
  readonly content: RecordedContent | undefined;
  /** Undefined: it was so at the start. */
  readonly call: RecordedCall | undefined;
  /** Where it was before, when it was moved or copied unchanged. */
  readonly from: string | undefined;
  blame: readonly BlamedLine[] | undefined;
}

/** Larger files are not compared line by line: each line counts as written by the call that wrote the file. */
const maxLinesToCompare = 20_000;

/** The files that a run has seen or changed, after each commit. */
export class FileTimeline {
  readonly #versions = new Map<string, Version[]>();

  /** What was at a path before the run changed anything there. */
  seen(path: string, content: RecordedContent | undefined): void {
    if (!hasPath(path)) return;
    const first: Version = { seq: 0, content, call: undefined, from: undefined, blame: undefined };
    const versions = this.#versions.get(path);
    if (versions === undefined) this.#versions.set(path, [first]);
    else if (versions[0]?.seq !== 0) versions.unshift(first);
  }

  commit(seq: number, files: readonly RecordedFileChange[], call: RecordedCall): void {
    for (const { path, kind, entry, after, from } of files) {
      if (entry === 'directory' || !hasPath(path)) continue;
      const content = kind === 'removed' ? undefined : after;
      const version: Version = { seq, content, call, from, blame: undefined };
      const versions = this.#versions.get(path);
      if (versions === undefined) this.#versions.set(path, [version]);
      else versions.push(version);
    }
  }

  /** @param seq from 0: at the start. */
  at(seq: number): readonly RecordedFile[] {
    const files: RecordedFile[] = [];
    for (const [path, versions] of this.#versions) {
      const version = versionAt(versions, seq);
      if (version?.content !== undefined)
        files.push({ path, content: version.content, isChanged: version.call !== undefined });
    }
    return files.sort((left, right) => (left.path < right.path ? -1 : 1));
  }

  /** The lines of a file and who wrote each; empty for a file that is not there, or is not text. */
  blame(path: string, seq: number): readonly BlamedLine[] {
    const versions = this.#versions.get(path) ?? [];
    const index = versions.findLastIndex((version) => version.seq <= seq);
    for (let at = 0; at <= index; at += 1) this.#blameVersion(versions, at, seq);
    return versions[index]?.blame ?? [];
  }

  #blameVersion(versions: readonly Version[], index: number, seq: number): void {
    const version = versions[index];
    if (version === undefined || version.blame !== undefined) return;
    const lines = fileLines(version.content?.text ?? '');
    const before =
      version.from === undefined
        ? (versions[index - 1]?.blame ?? [])
        : this.blame(version.from, Math.min(version.seq - 1, seq));
    version.blame = blameLines(lines, before, version.call);
  }
}

/** A redaction may have left nothing of a path. */
function hasPath(path: string): boolean {
  return path !== '';
}

function versionAt(versions: readonly Version[], seq: number): Version | undefined {
  return versions.findLast((version) => version.seq <= seq);
}

function blameLines(
  lines: readonly string[],
  before: readonly BlamedLine[],
  call: RecordedCall | undefined,
): readonly BlamedLine[] {
  const own = (text: string): BlamedLine => (call === undefined ? { text } : { text, writtenBy: call });
  if (before.length === 0 || lines.length > maxLinesToCompare || before.length > maxLinesToCompare)
    return lines.map(own);
  const edits = editScript(
    before.map(({ text }) => text),
    lines,
  );
  const blamed: BlamedLine[] = [];
  let [old, fresh] = [0, 0];
  for (const edit of edits ?? []) {
    const kept = edit === 'same' ? before[old] : undefined;
    if (kept !== undefined) blamed.push(kept);
    else if (edit === 'added') blamed.push(own(lines[fresh] ?? ''));
    if (edit !== 'added') old += 1;
    if (edit !== 'removed') fresh += 1;
  }
  return blamed;
}
