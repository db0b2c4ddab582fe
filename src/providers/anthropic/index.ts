export { anthropic } from './anthropic.ts';
