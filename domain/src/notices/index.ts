export { type DaysOfNetwork, listNewFinalDays } from './final-days.ts';
export { type NewNotice, noticeId, streamOfNotice, vendorOfNotice } from './new-notice.ts';
export { type NoticedEvent, noticeOfEvent } from './notice-of-event.ts';
