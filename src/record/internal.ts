export { pathOf } from './replay/record-index.ts';
export { recordedTurn } from './replay/recorded-turn.ts';
export { type ComparedRequest, requestDifferences } from './replay/request-difference.ts';
