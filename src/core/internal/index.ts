export { withoutBlockTags } from './block-tags.ts';
export { type DataCopy, freezeData, frozenCopy, writableCopy } from './data.ts';
export { type Edit, editScript } from './edit-script.ts';
export { hasHidden, replaceHidden, withoutHidden } from './hidden-text.ts';
export { isPlainObject, isRecord, isText, ownMember } from './is.ts';
export {
  endOfJsonString,
  type LargeInteger,
  memberText,
  readUnrounded,
  roundedIntegers,
  unsafeIntegers,
  withDigits,
} from './json-source.ts';
export { none, spliceAll } from './list.ts';
export { nearestNames } from './nearest-names.ts';
export { once } from './once.ts';
export { type MapDifference, PersistentMap } from './persistent-map.ts';
export { PersistentVector } from './persistent-vector.ts';
export type { FetchFunction } from './platform-types.ts';
export { type Present, present } from './present.ts';
export { processWide } from './process-wide.ts';
export { AbortableWait, attempt, isPromiseLike, untilAborted, whenSettled } from './promise.ts';
export { escapeInvisible, quoteText, readName, showName, spellInvisible } from './quote.ts';
export { readJson } from './read-json.ts';
export {
  allLines,
  allValues,
  briefText,
  briefValues,
  type ShownLines,
  shownLine,
  withCountedBlankLines,
} from './shown-value.ts';
export {
  byteOrderMark,
  clip,
  clipMiddle,
  countCharacters,
  counted,
  cutAfter,
  cutAtWord,
  cutLine,
  endOf,
  fileLines,
  fitsWithin,
  formatNumber,
  lineNumberAt,
  linesOf,
  oneLine,
  partOf,
  quotedList,
  readableBytes,
  shorten,
  startOf,
  takeWithin,
  wholeStart,
  withoutByteOrderMark,
  wordsBefore,
} from './text.ts';
export { wellFormed, wellFormedJson, wellFormedSaid, wellFormedText } from './well-formed.ts';
export type { Writable } from './writable.ts';
