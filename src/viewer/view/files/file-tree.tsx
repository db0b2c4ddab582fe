import type { JSX, VNode } from 'preact';
import { cutAfter } from '../../../core/internal/index.ts';
import type { BlamedLine, RecordedCall, RecordedFile } from '../../../record/index.ts';
import { visible } from '../../model/visible.ts';
import { useMemo } from '../drawing/hooks.ts';
import { Capped, Empty, Section } from '../parts/parts.tsx';
import { useSignal } from '../store/signals.ts';
import { useStore } from '../store/store.ts';
import { contentWords } from './file-diff.tsx';

const fileLimit = 200;
const lineLimit = 400;
const maxLineCharacters = 2000;

/** Files as they were after a commit: names by folder, the content of one, and who wrote each line. */
export function FileTree(): VNode {
  const store = useStore();
  const files = store.files.value;
  const changed = files.filter(({ isChanged }) => isChanged).length;
  const touched = store.commit.value?.attempt.files.map(({ path }) => path) ?? [];
  const ordered = useMemo(() => [...files].sort(byFolder), [files]);
  const record = store.record.value;
  const atStart = useMemo(() => new Set(record.filesAt(0).map(({ path }) => path)), [record]);
  const wanted = store.openFile.value;
  const open =
    files.find(({ path }) => path === wanted) ??
    files.find(({ path }) => touched.includes(path)) ??
    ordered.find(({ isChanged }) => isChanged) ??
    ordered[0];
  return (
    <Section title="Files" note={`${files.length} seen, ${changed} changed so far`}>
      {open === undefined ? (
        <Empty>The run has neither read nor changed a file up to here.</Empty>
      ) : (
        <div class="files">
          <ul aria-label="Files">
            <Capped items={ordered} limit={fileLimit} noun="file" wrap={(button) => <li>{button}</li>}>
              {(file, index) => (
                <FileName
                  key={file.path}
                  file={file}
                  hasFolder={folderOf(file) !== folderOf(ordered[index - 1])}
                  isOpen={file === open}
                  isNow={touched.includes(file.path)}
                  mark={!file.isChanged ? '' : atStart.has(file.path) ? 'M' : 'A'}
                />
              )}
            </Capped>
          </ul>
          <Content key={open.path} file={open} />
        </div>
      )}
    </Section>
  );
}

function folderOf(file: RecordedFile | undefined): string {
  return file === undefined ? '' : file.path.slice(0, Math.max(0, file.path.lastIndexOf('/')));
}

/** Folders first, each with its own files together. */
function byFolder(left: RecordedFile, right: RecordedFile): number {
  const [a, b] = [folderOf(left), folderOf(right)];
  if (a !== b) return a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1;
  return left.path < right.path ? -1 : 1;
}

function FileName(props: {
  readonly file: RecordedFile;
  readonly hasFolder: boolean;
  readonly isOpen: boolean;
  readonly isNow: boolean;
  /** Whether it was added or modified; empty: neither. */
  readonly mark: string;
}): JSX.Element {
  const store = useStore();
  const { file, hasFolder, isOpen, isNow, mark } = props;
  const folder = folderOf(file);
  return (
    <>
      {hasFolder && folder !== '' ? <li class="folder">{visible(folder)}/</li> : null}
      <li class={folder === '' ? '' : 'inside'}>
        <button
          title={visible(file.path)}
          aria-current={isOpen}
          onClick={() => (store.openFile.value = file.path)}
        >
          <span>{visible(file.path.slice(folder === '' ? 0 : folder.length + 1))}</span>
          {mark !== '' ? (
            <span class={isNow ? 'state now' : 'state'}>
              <span aria-hidden="true">{mark}</span>
              <span class="spoken">{` ${mark === 'A' ? 'added' : 'modified'}${isNow ? ' by this commit' : ''}`}</span>
            </span>
          ) : null}
        </button>
      </li>
    </>
  );
}

function Content({ file }: { readonly file: RecordedFile }): VNode {
  const store = useStore();
  const seq = store.seq.value;
  const record = store.record.value;
  const lines = useMemo(
    () => (file.content.text === undefined ? undefined : record.blameLines(file.path, seq)),
    [record, file, seq],
  );
  const hot = useSignal<RecordedCall | undefined>(undefined);
  const now = store.commit.value?.call;
  const label = `Content of ${file.path}`;
  if (lines === undefined || lines.length === 0)
    return (
      <div class="content">
        <p class="mute">
          {lines === undefined ? `No text: ${contentWords(file.content)}.` : 'The file is empty.'}
        </p>
      </div>
    );
  return (
    <div
      class="content"
      tabIndex={0}
      role="region"
      aria-label={visible(label)}
      onMouseLeave={() => (hot.value = undefined)}
    >
      <Capped items={lines} limit={lineLimit} noun="line">
        {(line, index) => (
          <ContentLine
            key={index}
            line={line}
            number={index + 1}
            isFirst={line.writtenBy !== lines[index - 1]?.writtenBy}
            isNow={line.writtenBy !== undefined && line.writtenBy === now}
            isHot={line.writtenBy !== undefined && line.writtenBy === hot.value}
            onPoint={() => (hot.value = line.writtenBy)}
          />
        )}
      </Capped>
    </div>
  );
}

function ContentLine(props: {
  readonly line: BlamedLine;
  readonly number: number;
  readonly isFirst: boolean;
  readonly isNow: boolean;
  readonly isHot: boolean;
  readonly onPoint: () => void;
}): VNode {
  const store = useStore();
  const { line, number, isFirst, isNow, isHot, onPoint } = props;
  const { writtenBy } = line;
  const text = cutAfter(line.text, maxLineCharacters);
  const kind = `blamed${writtenBy === undefined ? '' : ' written'}${isNow ? ' now' : ''}${isHot ? ' hot' : ''}`;
  return (
    <div class={kind} onMouseEnter={onPoint}>
      {writtenBy !== undefined && isFirst ? (
        <button
          title={visible(`Written by ${writtenBy.id}`)}
          onClick={() => store.select(writtenBy.id, { detail: true })}
        >
          {visible(writtenBy.id)}
        </button>
      ) : (
        <em />
      )}
      <span>{number}</span>
      <code>{visible(text) || ' '}</code>
    </div>
  );
}
