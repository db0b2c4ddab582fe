export { type AskedQuestion, type AskedQuestions, askedQuestions } from './asked-questions.ts';
