/** Generated from docs/reference/openapi/query-api.json by `npm run reference`; a test fails when this file is stale. */
export interface paths {
    "/api/v1/coffee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of coffee, a page at a time.
         * @description Campaign-level audience and engagement: one row per play and detection, or one row per play without a detection.
         */
        get: operations["getCoffee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watcher-summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of watcher-summary, a page at a time.
         * @description Watcher observations: one row per detection, at its start.
         */
        get: operations["getWatcherSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/coffee/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of coffee, all in one file.
         * @description Campaign-level audience and engagement: one row per play and detection, or one row per play without a detection.
         */
        get: operations["downloadCoffee"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/watcher-summary/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rows of watcher-summary, all in one file.
         * @description Watcher observations: one row per detection, at its start.
         */
        get: operations["downloadWatcherSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metric-definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every version of the thresholds of the request's network. */
        get: operations["listMetricDefinitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which devices are online.
         * @description Of all networks of the credential, or of the one that is named.
         */
        get: operations["listDeviceStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/feeders/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Which feeders are online.
         * @description Of all networks of the credential, or of the one that is named.
         */
        get: operations["listFeederStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/devices/status/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether a device is online. */
        get: operations["getDeviceStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/feeders/status/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether a feeder is online. */
        get: operations["getFeederStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/device-apps/{deviceId}/{appCode}/uptime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How long an app on a device was running in a window of time, and how it is now.
         * @description Made of the intervals that were pushed and of those that heartbeats of the app form: one state, no more than 180 s between two heartbeats. An app that nothing is known of was stopped all the time.
         */
        get: operations["getAppUptime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/popsvc/v1/pop/events/{eventId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What became of an event: how often it was received, what each receipt counts as, and where it is reported. */
        get: operations["getEventFeedback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oauth/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** An access token for a client id and its secret. */
        post: operations["issueToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Public keys of access tokens. */
        get: operations["getKeySet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The process runs. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Readiness of the service and its dependencies. */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics in the Prometheus text format; from this machine or with the operator token. */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as OpenAPI 3.1 has it. */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description, as a page. */
        get: operations["getDocs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AppUptime: {
            app: {
                code: string;
            };
            device: components["schemas"]["Place"];
            network: components["schemas"]["Place"];
            site: components["schemas"]["Place"];
            location: components["schemas"]["Place"];
            window: {
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                from: string;
                /**
                 * Format: date-time
                 * @description The requested end, or now if that is earlier.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                to: string;
                /**
                 * Format: int64
                 * @description to - from.
                 */
                window_seconds: number;
            };
            summary: {
                /**
                 * Format: int64
                 * @description Time covered by any interval, running or stopped.
                 */
                running_seconds: number;
                /**
                 * Format: int64
                 * @description The rest of the window: time without any interval, not graceful stops.
                 */
                stopped_seconds: number;
                /** @description running_seconds in percent of the window, 2 decimals. */
                uptime_pct: number;
                /**
                 * Format: int64
                 * @description Interval records that overlap the window.
                 */
                interval_count: number;
            };
            current_status: {
                /** @enum {string} */
                status: "running" | "stopped";
                /**
                 * Format: date-time
                 * @description Start of the latest interval; of the window when there is none.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                since: string;
                /**
                 * Format: date-time
                 * @description Last heartbeat of that interval; null when there is none.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                hb_last_seen_at: string | null;
                /** @constant */
                source: "heartbeat";
            };
        };
        CoffeePage: {
            /** @constant */
            status: true;
            message: string;
            data: {
                /**
                 * Format: int64
                 * @description Rows of the whole window, whatever the page.
                 */
                total: number;
                limit: number;
                /** @description What to send as `after` for the next page; null on the last. Some have 19 digits after the second: send them all. */
                next_after: string | null;
                /**
                 * Format: int64
                 * @description Rows of this page; `limit` on every page but the last.
                 */
                count: number;
                rows: components["schemas"]["CoffeeRow"][];
            };
        };
        CoffeeRow: {
            /**
             * @description population type
             * @enum {string}
             */
            POP_TYPE: "VIEWER" | "FOOTFALL" | "VEHICLE" | "ESTIMATED" | "NONE" | "UNMEASURED";
            /**
             * @description reason for playback
             * @enum {string}
             */
            PLAY_REASON: "scheduled" | "triggered" | "interrupt" | "programmatic" | "synchronised" | "filler" | "manual" | "unknown";
            /**
             * Format: int64
             * @description campaign id
             */
            CAMPAIGN_ID: number | null;
            /** @description campaign name */
            CAMPAIGN_NAME: string | null;
            /**
             * Format: int64
             * @description targeting strategy id
             */
            TARGET_STRATEGY_ID: number | null;
            /** @description targeting strategy name */
            STRATEGY_NAME: string | null;
            /** @description the vendor's name */
            MEDIA_PLAYER_NAME: string | null;
            /**
             * Format: int64
             * @description detail record id
             */
            DETAILID: number;
            /** @description event identifier */
            EVENT_ID: string;
            /** @description content title */
            TITLE: string | null;
            /** @description content title for display */
            DISPLAY_TITLE: string | null;
            /** @description playout duration, seconds */
            PLAYOUT: number;
            /**
             * Format: date-time
             * @description playout start, site timezone
             */
            DT_START_SITE_TZ: string;
            /**
             * Format: date-time
             * @description playout end, site timezone
             */
            DT_END_SITE_TZ: string;
            /**
             * Format: int64
             * @description person as the vendor numbers it
             */
            WATCHERID: number | null;
            /** @description delta ids: log positions of the source events */
            DELTA_ID: string[];
            /**
             * Format: date-time
             * @description site timestamp: the later of play start and detection start
             */
            SITE_TIMESTAMP_SITE_TZ: string;
            /** @description watch start timestamps */
            WATCH_TIMESTAMP_SITE_TZ_DETAILS: string[] | null;
            /** @description watch end timestamps */
            WATCH_TIMESTAMP_END_SITE_TZ_DETAILS: string[] | null;
            /**
             * Format: date-time
             * @description detection start
             */
            DETECTION_TIMESTAMP_SITE_TZ: string | null;
            /**
             * Format: date-time
             * @description detection end
             */
            DETECTION_TIMESTAMP_END_SITE_TZ: string | null;
            /** @description re-identification token */
            REID: string | null;
            /** @description start time details */
            START_TIME: string[] | null;
            /**
             * @description detected gender
             * @enum {string|null}
             */
            GENDER: "male" | "female" | "unknown" | null;
            /** @description detected age */
            AGE: string | null;
            /**
             * @description detected age category
             * @enum {string|null}
             */
            AGE_CATEGORY: "child" | "young_adult" | "adult" | "senior" | "unknown" | null;
            /** @description combined gender+age category */
            GENDER_AGE_CATEGORY: string | null;
            /**
             * @description detected mood
             * @enum {string|null}
             */
            MOOD: "very_happy" | "happy" | "neutral" | "unhappy" | "very_unhappy" | "unknown" | null;
            /** @description distance measurements */
            DISTANCE: number[] | null;
            /**
             * Format: int64
             * @description attention score, 0-100
             */
            ATTENTION: number | null;
            /** @description detection duration, seconds */
            DURATION: number | null;
            /** @description total watch time, seconds */
            WATCH_TIME: number | null;
            /**
             * Format: int64
             * @description 1 if impression else 0
             */
            IS_IMPRESSION: number;
            /** @description seconds */
            DURATION_IMPRESSION: number;
            /**
             * Format: int64
             * @description 1 if glance else 0
             */
            IS_GLANCE: number;
            /** @description seconds */
            DURATION_GLANCE: number;
            /**
             * Format: int64
             * @description 1 if view else 0
             */
            IS_VIEW: number;
            /** @description seconds */
            DURATION_VIEW: number;
            /**
             * Format: int64
             * @description 1 if view-through else 0
             */
            IS_VIEW_THROUGH: number;
            /** @description seconds */
            DURATION_VIEW_THROUGH: number;
            /**
             * Format: int64
             * @description 1 if watched else 0
             */
            IS_WATCHED: number;
            /**
             * Format: int64
             * @description network id
             */
            NETWORK_ID: number;
            /** @description network name */
            NETWORK_NAME: string | null;
            /**
             * Format: int64
             * @description site id
             */
            SITE_ID: number | null;
            /** @description site name */
            SITE_NAME: string | null;
            /**
             * Format: int64
             * @description location id
             */
            LOCATION_ID: number | null;
            /** @description location name */
            LOCATION_NAME: string | null;
            /**
             * Format: int64
             * @description device id
             */
            DEVICE_ID: number | null;
            /** @description device name */
            DEVICE_NAME: string | null;
            /**
             * Format: int64
             * @description feeder id
             */
            FEEDER_ID: number | null;
            /** @description feeder name */
            FEEDER_NAME: string | null;
            /** @description subscription name */
            SUBSCRIPTION_NAME: string | null;
            /** @description site timezone */
            SITE_TZ: string;
            /** @description device timezone */
            DEVICE_TZ: string | null;
            /** @description time range label */
            TIME_RANGE_SITE_TZ: string;
            /** @description month label */
            MONTH: string;
            /**
             * Format: date
             * @description date in site timezone
             */
            DT_ONLY_SITE_TZ: string;
            /** @description hour label */
            HOUR_SITE_TZ: string;
            /** @description day label */
            DAY_SITE_TZ: string;
            /** @description true if within business hours */
            IS_BUSINESSHOUR: boolean | null;
            /**
             * Format: date-time
             * @description silver stage processing time
             */
            SILVER_STAGE_TIMESTAMP: string;
            /**
             * Format: date-time
             * @description stream stage processing time
             */
            STREAM_STAGE_TIMESTAMP: string;
            /** @description warehouse delta id: the newest of DELTA_ID */
            SF_DELTA_ID: string;
        };
        DeviceStatus: {
            /** Format: int64 */
            id: number;
            name: string;
            network: components["schemas"]["Place"];
            site: components["schemas"]["Place"];
            location: components["schemas"]["Place"];
            /**
             * @description online: a heartbeat was received within the last 300 s.
             * @enum {string}
             */
            status: "online" | "offline";
            /**
             * Format: date-time
             * @description Receipt of the last counted heartbeat; null if there was none.
             * @example 2026-08-20T14:03:07.250Z
             */
            last_active_timestamp: string | null;
            /**
             * @description Source of the status.
             * @constant
             */
            source: "heartbeat";
        };
        EventFeedback: {
            eventId: string;
            /**
             * @description accepted: the event is a play and will soon be in the reports. projected: it is in the reports. quarantined: no receipt could be converted to a play yet; the event is stored and retried automatically.
             * @enum {string}
             */
            status: "accepted" | "projected" | "quarantined";
            /** @description All receipts; received is the sum of the others. */
            counts: {
                /** Format: int64 */
                received: number;
                /** Format: int64 */
                stored: number;
                /** Format: int64 */
                duplicate: number;
                /** Format: int64 */
                conflict: number;
                /** Format: int64 */
                quarantined: number;
            };
            /** @description The first 100, in the order in which they were recorded. */
            receipts: {
                /**
                 * Format: date-time
                 * @description When the service received the request.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                receivedAt: string;
                /**
                 * Format: date-time
                 * @description When the event was durably appended to the log.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                recordedAt: string;
                /**
                 * @description stored: the first receipt of this id; it defines the play. duplicate: the same content again; counted once. conflict: other content under the same id; the first receipt counts. quarantined: it cannot be converted to a play yet, see reason.
                 * @enum {string}
                 */
                outcome: "stored" | "duplicate" | "conflict" | "quarantined";
                /** @description Received more than 14 days after the play. */
                late: boolean;
                /** @description The play began more than 60 s after its receipt: check your clock. */
                clockAhead: boolean;
                /** @description Code of the reason of a quarantine. */
                code?: string;
                /** @description Reason of a quarantine: the field and its problem. */
                reason?: string;
                /**
                 * Format: date-time
                 * @description When the event left quarantine.
                 * @example 2026-08-20T14:03:07.250Z
                 */
                releasedAt?: string;
                /** @description Present for an event in your own schema. */
                schemaVersion?: string;
                /** @description Bulk job of the event. */
                jobId?: string;
                /**
                 * Format: int64
                 * @description Row of the bulk file, from 1.
                 */
                row?: number;
            }[];
            /** @description The current play; absent while every receipt is quarantined. */
            play?: {
                /**
                 * Format: date-time
                 * @example 2026-08-20T14:03:07.250Z
                 */
                playedAt: string;
                /** Format: int64 */
                durationMs: number;
                screenId: string;
                campaignId: string;
                creativeId: string;
                /** @description In the vocabulary of this service; unknown if the value sent has no equivalent. */
                playReason: string;
                /**
                 * Format: int64
                 * @description Null while the screen is not registered or the play is not projected.
                 */
                deviceId: number | null;
                /** Format: int64 */
                siteId: number | null;
            };
            /**
             * Format: int64
             * @description Rows of the coffee report for this play: one per detected person, or one without a person.
             */
            coffeeRows: number;
            /** @description Population types of these rows. */
            popTypes: string[];
            /**
             * Format: date-time
             * @description When these rows were projected.
             * @example 2026-08-20T14:03:07.250Z
             */
            projectedAt: string | null;
        };
        FeederStatus: {
            /** Format: int64 */
            id: number;
            name: string;
            network: components["schemas"]["Place"];
            site: components["schemas"]["Place"];
            location: components["schemas"]["Place"];
            /**
             * @description online: a heartbeat was received within the last 300 s.
             * @enum {string}
             */
            status: "online" | "offline";
            /**
             * Format: date-time
             * @description Receipt of the last counted heartbeat; null if there was none.
             * @example 2026-08-20T14:03:07.250Z
             */
            last_active_timestamp: string | null;
            /**
             * @description Source of the status.
             * @constant
             */
            source: "heartbeat";
            device: components["schemas"]["Place"];
        };
        KeySet: {
            keys: ({
                kid: string;
                kty: string;
                alg: string;
                /** @constant */
                use: "sig";
                crv?: string;
                x?: string;
                y?: string;
            } & {
                [key: string]: unknown;
            })[];
        };
        Place: {
            /** Format: int64 */
            id: number;
            name: string;
        };
        Token: {
            /** @description A JWT (RFC 9068); treat it as a mere word. */
            access_token: string;
            /** @constant */
            token_type: "Bearer";
            /**
             * Format: int64
             * @description Seconds.
             */
            expires_in: number;
            scope: string;
        };
        TokenError: {
            /** @enum {string} */
            error: "invalid_request" | "invalid_client" | "unsupported_grant_type" | "invalid_scope" | "temporarily_unavailable";
            error_description: string;
        };
        TokenRequest: {
            /** @constant */
            grant_type: "client_credentials";
            /** @description Needed unless the client authenticates by HTTP Basic. */
            client_id?: string;
            /** @description As client_id. Never put it into a program that others run. */
            client_secret?: string;
            /** @description Names of scopes with spaces between; one of them is reporting. */
            scope?: string;
        };
        WatcherSummaryPage: {
            /** @constant */
            status: true;
            message: string;
            data: {
                /**
                 * Format: int64
                 * @description Rows of the whole window, whatever the page.
                 */
                total: number;
                limit: number;
                /** @description What to send as `after` for the next page; null on the last. Some have 19 digits after the second: send them all. */
                next_after: string | null;
                /**
                 * Format: int64
                 * @description Rows of this page; `limit` on every page but the last.
                 */
                count: number;
                rows: components["schemas"]["WatcherSummaryRow"][];
            };
        };
        WatcherSummaryRow: {
            /**
             * Format: int64
             * @description person as the vendor numbers it
             */
            WATCHERID: number;
            /**
             * @description detected gender
             * @enum {string}
             */
            GENDER: "male" | "female" | "unknown";
            /**
             * @description detected age category
             * @enum {string}
             */
            AGE_CATEGORY: "child" | "young_adult" | "adult" | "senior" | "unknown";
            /**
             * @description detected mood
             * @enum {string}
             */
            MOOD: "very_happy" | "happy" | "neutral" | "unhappy" | "very_unhappy" | "unknown";
            /**
             * Format: date-time
             * @description observation timestamp, site timezone
             */
            SITE_TIMESTAMP_SITE_TZ: string;
            /** @description site timezone */
            SITE_TZ: string;
            /** @description hour label */
            HOUR_SITE_TZ: string;
            /** @description day label */
            DAY_SITE_TZ: string;
            /**
             * Format: int64
             * @description 1 if watcher detected else 0
             */
            IS_WATCHER: number;
            /** @description detection duration, seconds */
            DURATION: number;
            /**
             * Format: int64
             * @description 0-100
             */
            ATTENTION: number;
            /**
             * Format: int64
             * @description site id
             */
            SITE_ID: number | null;
            /** @description site name */
            SITE_NAME: string | null;
            /**
             * Format: int64
             * @description location id
             */
            LOCATION_ID: number | null;
            /** @description location name */
            LOCATION_NAME: string | null;
            /**
             * Format: int64
             * @description device id
             */
            DEVICE_ID: number | null;
            /** @description device name */
            DEVICE_NAME: string | null;
            /**
             * Format: int64
             * @description camera id
             */
            CAM_ID: number | null;
            /** @description camera name */
            CAMERA_NAME: string | null;
        };
        /** @description Every JSON error has this shape. */
        Error: {
            /** @constant */
            status: false;
            /** @description For people; it may improve. Programs go by the code. */
            message: string;
            error: {
                /** @enum {string} */
                code: "INVALID_PARAM" | "INVALID_EVENT" | "INVALID_REQUEST" | "UNAUTHORIZED" | "FORBIDDEN_NETWORKS" | "FORBIDDEN_ORIGIN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "CONFLICT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "UNAVAILABLE" | "INTERNAL";
                details: components["schemas"]["ErrorDetail"][];
            };
            request_id: string;
        };
        ErrorDetail: {
            /** @description Where: a parameter, or a field such as `events[3].playedAt`. */
            path: string;
            /** @description What is wrong with it. */
            message: string;
        };
    };
    responses: {
        /** @description `FORBIDDEN_NETWORKS`: The credential does not grant access to this resource. */
        ForbiddenNetworks: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "FORBIDDEN_NETWORKS";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INTERNAL`: Internal error. */
        Internal: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INTERNAL";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `INVALID_PARAM`: A query or path parameter is not valid. */
        InvalidParam: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "INVALID_PARAM";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `NOT_FOUND`: The resource does not exist. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "NOT_FOUND";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RateLimited: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "RATE_LIMITED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAUTHORIZED`: A valid credential is required. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAUTHORIZED";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description `UNAVAILABLE`: The service is temporarily unavailable. Retry later. */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** @constant */
                    status: false;
                    /** @description For people; it may improve. Programs go by the code. */
                    message: string;
                    error: {
                        /** @enum {string} */
                        code: "UNAVAILABLE";
                        details: components["schemas"]["ErrorDetail"][];
                    };
                    request_id: string;
                };
            };
        };
        /** @description Any other refusal. */
        OtherError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Names this request in our logs; yours if you sent one.
         * @example 5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d
         */
        "X-Request-Id": string;
        /**
         * @description Everything received until then is in the answer; absent while that is not known.
         * @example 2026-08-20T14:03:07.250Z
         */
        "X-Data-As-Of": string;
        /**
         * @description Rows of the whole window.
         * @example 120
         */
        "X-Total": number;
        /**
         * @description What to send as `after` for the next page; absent on the last.
         * @example 2026-08-20T14:03:07.250Z
         */
        "X-Next-After": string;
        /**
         * @description Names the file.
         * @example attachment; filename="coffee_20260801_20260901.csv"
         */
        "Content-Disposition": string;
        /**
         * @description How long the answer may be kept.
         * @example public, max-age=60
         */
        "Cache-Control": string;
        /**
         * @description Seconds after which to try again.
         * @example 1
         */
        "Retry-After": number;
        /**
         * @description What credential is due, and what is wrong with the one that was sent (RFC 6750).
         * @example Bearer realm="popsvc"
         */
        "WWW-Authenticate": string;
        /**
         * @description Burst and the seconds in which it fills, by unit (draft-ietf-httpapi-ratelimit-headers).
         * @example "requests";q=4000;qu="requests";w=2
         */
        "RateLimit-Policy": string;
        /**
         * @description What is left of it, by unit, and the seconds until it is full. Only API keys have rates.
         * @example "requests";r=3999;t=1
         */
        RateLimit: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getCoffee: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number[];
                /** @description Rows to skip; ignored when after is given. */
                offset?: number;
                /** @description Most rows of the page. */
                limit?: number;
                /** @description By time. */
                sort?: "asc" | "desc";
                /** @description Go on after this instant: the next_after of the page before, or any datetime with Z or an offset. */
                after?: string;
                /** @description `ndjson`: one row a line, total and cursor in headers. An Accept header that is exactly application/x-ndjson says the same. */
                format?: "json" | "ndjson";
            };
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "X-Total": components["headers"]["X-Total"];
                    "X-Next-After": components["headers"]["X-Next-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CoffeePage"];
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getWatcherSummary: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number[];
                /** @description Rows to skip; ignored when after is given. */
                offset?: number;
                /** @description Most rows of the page. */
                limit?: number;
                /** @description By time. */
                sort?: "asc" | "desc";
                /** @description Go on after this instant: the next_after of the page before, or any datetime with Z or an offset. */
                after?: string;
                /** @description `ndjson`: one row a line, total and cursor in headers. An Accept header that is exactly application/x-ndjson says the same. */
                format?: "json" | "ndjson";
            };
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "X-Total": components["headers"]["X-Total"];
                    "X-Next-After": components["headers"]["X-Next-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatcherSummaryPage"];
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    downloadCoffee: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A date alone is its midnight in UTC. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number[];
                /** @description Rows to skip. */
                offset?: number;
                /** @description Most rows of the file; without it, all. */
                limit?: number;
                /** @description An Accept header that is exactly application/x-ndjson or application/vnd.apache.parquet says the same. */
                format?: "csv" | "ndjson" | "parquet";
                /** @description CSV alone: whether an apostrophe is put before text that a spreadsheet would run as a formula. */
                excel_safe?: boolean;
            };
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    downloadWatcherSummary: {
        parameters: {
            query: {
                /** @description Start of the window, part of it. A plus sign of an offset is written %2B. */
                from: string;
                /** @description End of the window, not part of it; at most 31 days after from. A plus sign of an offset is written %2B. */
                to: string;
                /** @description Only these sites of the network; repeat it for several. */
                site_id?: number[];
                /** @description Rows to skip. */
                offset?: number;
                /** @description Most rows of the file; without it, all. */
                limit?: number;
                /** @description An Accept header that is exactly application/x-ndjson or application/vnd.apache.parquet says the same. */
                format?: "csv" | "ndjson" | "parquet";
                /** @description CSV alone: whether an apostrophe is put before text that a spreadsheet would run as a formula. */
                excel_safe?: boolean;
            };
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                    "application/vnd.apache.parquet": string;
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listMetricDefinitions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            /** Format: int64 */
                            count: number;
                            rows: {
                                /** Format: int64 */
                                network_id: number;
                                /**
                                 * Format: int64
                                 * @description 0: in force until the first published version takes effect.
                                 */
                                version: number;
                                /**
                                 * Format: date-time
                                 * @description A play uses the version in force at its start; null for version 0.
                                 * @example 2026-08-20T14:03:07.250Z
                                 */
                                effective_from: string | null;
                                thresholds: {
                                    /**
                                     * @description Shortest presence during a play that creates a row.
                                     * @default 100
                                     */
                                    min_presence_ms: number;
                                    /**
                                     * @description Watch periods with gaps up to this are merged.
                                     * @default 300
                                     */
                                    merge_gap_ms: number;
                                    /**
                                     * @description Shortest presence of an impression.
                                     * @default 1000
                                     */
                                    impression_ms: number;
                                    /**
                                     * @description Shortest watch time of a glance.
                                     * @default 500
                                     */
                                    glance_ms: number;
                                    /**
                                     * @description Shortest watch time of a view.
                                     * @default 2000
                                     */
                                    view_ms: number;
                                    /**
                                     * @description Longest absence during the play of a view-through.
                                     * @default 500
                                     */
                                    view_through_slack_ms: number;
                                    /**
                                     * @description Share of the play that a view-through must watch; up to three decimals.
                                     * @default 0.75
                                     */
                                    view_through_share: number;
                                };
                            }[];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listDeviceStatus: {
        parameters: {
            query?: {
                /** @description Only what is at these sites; repeat it for several. */
                site_id?: number[];
                /** @description Only what is at these locations; repeat it for several. Beside site_id both must hold. */
                location_id?: number[];
            };
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            /** Format: int64 */
                            count: number;
                            rows: components["schemas"]["DeviceStatus"][];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    listFeederStatus: {
        parameters: {
            query?: {
                /** @description Only what is at these sites; repeat it for several. */
                site_id?: number[];
                /** @description Only what is at these locations; repeat it for several. Beside site_id both must hold. */
                location_id?: number[];
            };
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: {
                            /** Format: int64 */
                            count: number;
                            rows: components["schemas"]["FeederStatus"][];
                        };
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getDeviceStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path: {
                /** @description The device. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: components["schemas"]["DeviceStatus"];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getFeederStatus: {
        parameters: {
            query?: never;
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path: {
                /** @description The feeder. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: components["schemas"]["FeederStatus"];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getAppUptime: {
        parameters: {
            query?: {
                /** @description Start of the window; default: today's midnight in the service's own time zone. A plus sign of an offset is written %2B. */
                from?: string;
                /** @description End of the window; default, and at the latest: now. A plus sign of an offset is written %2B. */
                to?: string;
            };
            header?: {
                /** @description Name of one of the token's networks, in any case, percent-encoded UTF-8 if need be. API keys have one network and need none. */
                "X-Network-Name"?: string;
            };
            path: {
                /** @description The device. */
                deviceId: number;
                /** @description The app, percent-encoded if need be. */
                appCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        message: string;
                        data: components["schemas"]["AppUptime"];
                    };
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenNetworks"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getEventFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description As you sent it, percent-encoded. */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-Data-As-Of": components["headers"]["X-Data-As-Of"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventFeedback"];
                };
            };
            400: components["responses"]["InvalidParam"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    issueToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": components["schemas"]["TokenRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description Refused. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Refused. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            /** @description Refused. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            500: components["responses"]["Internal"];
            /** @description Refused. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenError"];
                };
            };
            default: components["responses"]["OtherError"];
        };
    };
    getKeySet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeySet"];
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "alive";
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: true;
                        /** @constant */
                        message: "ready";
                        /** @description Dependencies that are ready, by name. */
                        checks: {
                            [key: string]: "ok";
                        };
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        openapi: string;
                        info: {
                            [key: string]: unknown;
                        };
                        paths: {
                            [key: string]: unknown;
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
    getDocs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["OtherError"];
        };
    };
}
