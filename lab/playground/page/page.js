// Starts the page: views first, then the feed that fills them.
import { startComposer } from "./composer.js";
import { startGiven } from "./given.js";
import { startLog } from "./log.js";
import { startLocalModel } from "./offer.js";
import { applyTheme, startSidebar } from "./sidebar.js";
import { follow } from "./store.js";
import { startActors, startTour } from "./tour.js";

applyTheme();
startSidebar();
startLocalModel();
startLog();
startGiven();
startComposer();
startTour();
startActors();
follow();
