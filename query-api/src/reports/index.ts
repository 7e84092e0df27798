export { asOfHeader } from './as-of.ts';
export { cutPage, type Page } from './cut-page.ts';
export { exceptLacking } from './except-lacking.ts';
export { fileName } from './file-name.ts';
export { pageAnswer } from './page-answer.ts';
export { type Pinned, pinned } from './pinned.ts';
export { type Progress, type ProgressOf, progressOf } from './progress.ts';
export { type Report, reports } from './report.ts';
export { type Leave, type SlotLimits, slots } from './slots.ts';
