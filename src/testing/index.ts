export { type Script, type ScriptedToolCall, type ScriptedTurn, scriptedModel } from '../adapter/index.ts';
